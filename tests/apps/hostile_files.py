"""Files that ask for more than they are: writes them to the folder that is given."""
import json
import struct
import sys
import zlib
from pathlib import Path

DEEP = "[" * 100_000 + "]" * 100_000


def recording(path: Path) -> None:
    """A recording whose metadata nests a hundred thousand deep."""
    header = json.dumps({"__metadata__": {"kind": DEEP}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content) + 8) + kind + content


def video_note(path: Path) -> None:
    """An mp4 without tracks, whose comment is an order that nests as deep."""
    note = ('{"order":' + DEEP + "}").encode()
    times = struct.pack(">IIIII", 0, 0, 0, 1000, 0) + struct.pack(">IH", 0x10000, 0x100) + bytes(10)
    matrix = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    data = box(b"data", struct.pack(">II", 1, 0) + note)
    handler = box(b"hdlr", bytes(8) + b"mdirappl" + bytes(9))
    meta = box(b"meta", bytes(4) + handler + box(b"ilst", box(b"\xa9cmt", data)))
    moov = box(b"moov", box(b"mvhd", times + matrix + bytes(24) + struct.pack(">I", 1)) + box(b"udta", meta))
    path.write_bytes(box(b"ftyp", b"isom" + bytes(4) + b"isom") + moov)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(path: Path, side: int, kind: bytes, rows: bytes) -> None:
    """A square picture; `kind` is bit depth and colour type."""
    header = struct.pack(">II", side, side) + kind + bytes(3)
    path.parent.mkdir()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9))
                     + chunk(b"IEND", b""))


def main() -> None:
    folder = Path(sys.argv[1])
    recording(folder / "deep.safetensors")
    video_note(folder / "deep.mp4")
    picture(folder / "bomb/frame_00000.png", 32768, b"\x10\x06", b"")  # 65 bytes, 8 GiB of pixels
    picture(folder / "large/frame_00000.png", 8192, b"\x01\x00", bytes(8192 * 1025))  # 8 KB, 192 MiB as RGB


if __name__ == "__main__":
    main()
