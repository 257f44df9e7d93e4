"""Reads the event files of test_event_file.cpp with TensorBoard's own reader. Exits with 77 where there is none."""

import sys

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def main(folder: str) -> None:
    events = EventAccumulator(folder, size_guidance={"scalars": 0, "images": 0})
    events.Reload()

    # Steps 4 to 6 of the first start were superseded by the resumed one.
    losses = [(event.step, event.value) for event in events.Scalars("generator_loss")]
    assert losses == [(s, s + 0.5) for s in (1, 2, 3)] + [(s, 100.0 + s) for s in (4, 5, 6, 7, 8)], losses
    critic = [(event.step, event.value) for event in events.Scalars("critic_loss")]
    assert critic == [(1, 0.25), (2, 0.25), (3, 0.25)], critic
    assert all(event.wall_time > 1.7e9 for event in events.Scalars("generator_loss"))

    (image,) = events.Images("samples/0")
    assert (image.step, image.width, image.height) == (8, 3, 2), image
    assert image.encoded_image_string.startswith(b"\x89PNG")


main(sys.argv[1])
