"""Writes tests/data/text/prompt_cleaning.json: awkward prompts, and what Wan's cleaning makes of them with the real ftfy.

    python3 -m venv cleaning && cleaning/bin/pip install ftfy==6.3.1
    cleaning/bin/python tests/recorders/record_prompt_cleaning.py [--random N --seed S --out FILE]

With --random, N made-up prompts go to FILE instead; SGF_CLEANING_CASES=FILE sgf_plain_tests compares them too.
"""

import argparse
import html
import json
import pathlib
import random
import re
import unicodedata

import ftfy

OUT = pathlib.Path(__file__).parents[1] / "data" / "text" / "prompt_cleaning.json"

PLAIN = [
    "A red panda rides a bicycle through the rain.",
    "",
    " ",
    "\n\t \r\n",
    "  two   spaces\tand tab\n",
    "line one\r\nline two\rline three\u2028four\u2029five\x85six",
    "色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作品，画作，画面，静止，整体发灰，最差质量，低质量，JPEG压缩残留",
    "“Curly” quotes, ‘single’ ones, ‛odd‟ and „low‚ ones; the dog’s ʼbone",
    "An ellipsis… an en–dash, an em—dash, a bullet • and a ½ cup, 20°C, 5 µm, x² + y³ ± 1",
    "naïve café façade, Ångström, Übergrößenträger, smörgåsbord, ñandú, œuvre, Œdipe",
    "ﬁne ﬂuﬀ, oﬃce, waﬄe, ﬅ ﬆ, ĳs, Ĳ, ŉ, ǆ ǅ Ǆ, ǉ, ǌ, ǳ",
    "ＦＵＬＬ　ＷＩＤＴＨ　ｔｅｘｔ！？（１２３）～｀￣￥￦",
    "ﾊﾝｶｸ ｶﾀｶﾅ ﾊﾞﾋﾞﾌﾞ ﾊﾟﾋﾟﾌﾟ ｡｢｣､･ ｦｧｨｩｪｫｬｭｮｯｰ",
    "ﾡﾢﾣ ￂￃￄ halfwidth hangul",
    "zero\u200bwidth\u200cnon\u200djoiner\u2060word\ufeffbom\u00adsoft",
    "\ufeffA prompt with a BOM",
    "a\u0000b\u0001c\u0007d\u0008e\u000bf\u000cg\u000eh\u001bi\u001fj\u007fk",
    "\u001b[31mred\u001b[0m and \u001b[1;32;40mgreen\u001b[m, \u001b[2J, \u001b]0;title\u0007, \u001b[1;",
    "\u206a\u206f interlinear \ufff9a\ufffab\ufffb, object \ufffc, lost \ufffd",
    "emoji 🐼 and ünïcödé 👩‍🚀 🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f 👍🏽 ❤️",
    "한국어 텍스트, 各种汉字, にほんご, עברית, العربية, हिन्दी, ไทย, Ελληνικά, Русский текст",
    "Привет, мир! Ѐ Ё Ђ Ћ Ў Џ",
    "Καλημέρα κόσμε, ΐ ΰ Ά Έ Ή",
    "ÅÄÖ åäö Ø ø Æ æ ß ẞ þ ð Þ Ð",
    "À la carte, à la mode, déjà vu, ÇA VA, ÉTÉ, ÎLE",
    "Â and Ã are letters, Vietnamese: Ấn Độ, Ân, ĐÃ",
    "(◕‿◕) ヽ(°◇° )ノ ಠ_ಠ ¯\\_(ツ)_/¯ (ÒωÓ) (ó﹏ò) ლ(ಠ益ಠლ)",
    "price: £5, €10, ¥500, ¢50, $3.99, 100 %, 5‰, No. №5, §3, ¶2, ©2024, ®, ™",
    "«guillemets» ‹single› ¿qué? ¡hola!",
    "├── tree\n│   └── leaf ░▒▓█ ╔═╗║╚═╝",
    "a\u0301 e\u0301 n\u0303 u\u0308 A\u030a c\u0327 o\u0302\u0323 o\u0323\u0302 q\u0307\u0323 s\u0323\u0307",
    "\u1100\u1161\u11a8 \u1112\u1161\u11ab \uac00\u11a8 \u1161\u1100",
    "\u212b \u2126 \u212a \uf900 \ufb1d \u0958 \u2adc \u0344 \u0374 \u037e \u0387 \u1fef \u2000 \u2001 \u2329",
    "\u0cc6\u0cc2\u0cd5 \u0b47\u0b56 \u09c7\u09be \u1b05\u1b35 \U0001d15e \U00011131\U00011127 \U0002f800",
    "math: ∀x ∈ ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β = ¬(¬α ∨ β), √2 ≈ 1.41, ∞ ≠ ∂",
    "tags <b>bold</b> &amp; more &lt;i&gt;",
    "first line &amp; second\nthen <b> and &amp; here\nand &eacute; after",
    "no tags &lt;b&gt;bold&lt;/b&gt; &amp;amp; &amp;lt;b&amp;gt;",
    "&amp;amp;amp;amp;amp;",
    "&eacute; &EACUTE; &Eacute &eacute &notit; &notin; &not &copy2024 &copy; &COPY; &hearts; &HEARTS; &NTILDE;",
    "&#233; &#xe9; &#XE9; &#233 &#xe9 &#x; &#; &# &#59; &#0; &#1; &#13; &#128; &#x80; &#x9f; &#150; &#xd800; &#x110000;",
    "&#xfdd0; &#xffff; &#x1f43c; &#128060; &#99999999999999999999; &#12ab; &#xzz; &bogus; &; & && &amp",
    "&lt &gt; &quot;quoted&quot; &apos; &nbsp;&nbsp; &hellip; &mdash; &ndash; &lsquo;x&rsquo; &ldquo;y&rdquo;",
    "&CounterClockwiseContourIntegral; &bne; &NotEqualTilde; &fjlig; &AMP; &AMP &QUOT; &SZLIG; &nTILDE;",
    "AT&T, R&D, rock&roll; fish&chips, Q&A;, a&b;c, x&y=1&lt=2&copy=3",
    "http://example.com/?a=1&b=2&amp;c=3&section=4&para=5&times=6",
    "a &\u0661; b &#\u0661; fullwidth &ａｍｐ; ＆ａｍｐ；",
    "&lt;&#108;&gt; &amp;#39; &amp;#x27; &amp;quot;",
    "</s> <pad> <extra_id_0> <unk> ▁ _under_score_",
    "tab\tseparated\tvalues\vvertical\fform feed\x1cfs\x1dgs\x1ers\x1fus",
    "nbsp\u00a0here, ideographic\u3000space, en\u2002quad\u2003 thin\u2009hair\u200a ogham\u1680 nnbsp\u202f mmsp\u205f",
    "rtl \u200fmark\u200e, \u202aembedding\u202c, isolate \u2066x\u2069",
    "a" * 3000,
    "very long prompt, " * 400,
    "très long café “quoted” " * 200,
    "¥", "Ã", "Â", "â", "œ", "Œ.", "\x80", "\x85", "\xa0", "�", "��", "&", "<", "\u001b", "\u001b[",
    "1\x80 and \x93quotes\x94 \x96 dash \x85 dots \x99",
    "\x93Windows-1252 read as Latin-1\x94, it\x92s \x80 5",
    "undefined \x81 \x8d \x8f \x90 \x9d bytes",
    "mixed: “ok” and Ã© and 中文",
    "voilÃ le travail",
    "Ã la mode, dÃ©jÃ vu",
    "Ã quele, Ã s, Ã quilo, fÃ cil",
    "â€œlike thisâ€\x9d and â€œlike thatâ€�",
    "donâ€™t, isnâ\x80\x99t, canâ€˜t â€“ dash â€” dash â€¦",
    "Â£5 and Â€, 20Â°C, Â©2024, Â®, Â½, Â«xÂ»",
    "Â\xa0Â\xa0indented by no-break spaces",
    "a Â b, c.Â  d, e Ã f",
    "lossy: Ã? and â?? and Ã� ðŸ�¼",
    "√© √† ‚Äú ‚Äô ‚Äî ‚Ä¶ caf√© na√Øve",
    "├⌐ ΓÇ£quotesΓÇ¥ caf├⌐",
    "РџСЂРёРІРµС‚ РјРёСЂ",
    "вЂњРєР°РІС‹С‡РєРёвЂќ",
    "Î±Î²Î³ Î•Î»Î»Î¬Î´Î±",
    "Ã˜Â§Ã™â€žÃ™â€¦",
    "Ø§Ù„Ø¹Ø±Ø¨ÙŠØ©",
    "à¤¹à¤¿à¤¨à¥à¤¦à¥€ à²•",
    "×©×œ×•×",
    "ä¸\xadæ–‡ and ä¸­æ–‡, æ—¥æœ¬èªž, í•œêµ­ì–´",
    "ðŸ˜\x8d ðŸ�¼ ðŸ¼ ðŸ\x90¼ ðŸ˜€",
    "\xed\xa0\xbd\xed\xb0\xbc as CESU-8, \xc0\x80 as Java's NUL",
    "end of line À\xc0\nÃ© next",
    "ÃƒÂ© ÃƒÆ’Ã‚Â© Ã¢â‚¬Å“quotedÃ¢â‚¬\x9d",
    "ГўВЂВ™s a Latin letter",
    "β€™ β€\xa0 ā€™ ΒΓ°Β ВГ°В",
    "LONDON ÂŁ, PĹ™Ă­liĹˇ ĹľluĹĄouÄŤkĂ˝",
    "Ĺ‚ĂłdĹş, zaĹĽĂłĹ‚Ä‡",
    "TÃ¼rkÃ§e: ÅŸÄŸÄ±, TĂĽrkĂ§e",
    "l’humanitÃ©", "Ã perturber la rÃ©flexion", "pÃ©rou, aÃ±o, maÃ±ana, Ã¼ber, StraÃŸe",
    "(8.1.2) âˆ« x dx â‰ˆ 3, âˆž",
    "IP vs. ñ’ñ", "it’s 30°É, À° ü°", "œ1, Œuvre, cœur, œ", "×² ×³ 3×²", "à² àµ à¹", "Ø® Ù° ØµÙ»", "a Ã b", "^Ã x", "Â x",
    "CRLF\r\nwith Ã©\r\nand <tag>\r\n&amp;",
    "Cinematic shot — a “golden” sunrise over the café… &amp; birds, 4K, ƒ/1.8, 35 mm",
    "A robot named “Ü-7” says: ‘Grüß Gott!’ – ½ smile; 5′ 10″ tall",
]

# Words to be broken by reading their UTF-8 in one code page or another, once or more.
WORDS = [
    "café", "naïve façade", "“quoted”", "it’s", "a – b — c…", "中文提示", "日本語", "한국어", "🐼", "😍 heart", "Привет", "Ελλάδα",
    "ñandú à la mode", "ÀÉÎÕÜ", "½ × 3 = ±2°", "£5 €10 ¥9", "ﬁne", "é", "à", "Ã©", "œuvre", "žluťoučký kůň", "İstanbul ğış",
    "שלום", "العربية", "हिन्दी", "ไทย", "ΑΩ “x”", "™®©", "Ø æ å", "e\u0301", "\u00a0indent", "ＦＵＬＬ", "ß ẞ", "Łódź zażółć",
]
PAGES = ["latin-1", "sloppy-windows-1252", "sloppy-windows-1251", "sloppy-windows-1250", "sloppy-windows-1253",
         "sloppy-windows-1254", "sloppy-windows-1257", "iso-8859-2", "macroman", "cp437"]
# Known to differ, on purpose: (prompt, why).
NOT_REPRODUCED = [
    ("\u001b[\u0663m red", "digits of other scripts in a terminal's escape: the escape character alone goes"),
]


def clean(text):
    """Wan's cleaning, as its tokenizer's clean='whitespace' does it."""
    text = html.unescape(html.unescape(ftfy.fix_text(text))).strip()
    return re.sub(r"\s+", " ", text).strip()


def read_in(text, page, errors="strict"):
    try:
        return text.encode("utf-8").decode(page, errors)
    except UnicodeDecodeError:
        return None


def broken():
    for word in WORDS:
        yield word
        yield unicodedata.normalize("NFD", word)
        yield html.escape(html.escape(word)) + " " + "".join(f"&#{ord(char)};" for char in word)
        for page in PAGES:
            yield read_in(word, page)
        once = read_in(word, "sloppy-windows-1252")
        yield read_in(once, "sloppy-windows-1252")
        yield read_in(read_in(once, "latin-1"), "sloppy-windows-1252")
        yield once.replace("\xa0", " ")
        yield f"A prompt with {once}, in part: “中文”"
        yield read_in(word, "cp1252", "replace")


def made_up(count, seed):
    dice = random.Random(seed)
    alphabet = [char for text in PLAIN for char in text[:200]] + list("abc ABC &;#<\n")
    broken_words = [word for word in broken() if word]
    for _ in range(count):
        pieces = []
        for _ in range(dice.randint(1, 6)):
            kind = dice.random()
            if kind < 0.35:
                pieces.append(dice.choice(broken_words))
            elif kind < 0.6:
                pieces.append("".join(dice.choice(alphabet) for _ in range(dice.randint(1, 8))))
            elif kind < 0.75:
                pieces.append("".join(chr(dice.randint(0x80, 0x17F)) for _ in range(dice.randint(1, 4))))
            elif kind < 0.85:
                word = "".join(chr(dice.choice([dice.randint(0x20, 0x7E), dice.randint(0xA0, 0x2FFF)]))
                               for _ in range(dice.randint(1, 6)))
                pieces.append(read_in(word, dice.choice(PAGES)) or word)
            else:
                pieces.append("&" + dice.choice(list(html.entities.html5)) + dice.choice(["", ";", "x", " "]))
        yield dice.choice(["", " "]).join(pieces)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, default=OUT)
    args = parser.parse_args()
    texts = made_up(args.random, args.seed) if args.random else PLAIN + list(broken())
    unique = list(dict.fromkeys(text for text in texts if text is not None))
    cases = [{"text": text, "cleaned": clean(text)} for text in unique]
    note = f"Wan's prompt cleaning with ftfy {ftfy.__version__}; tests/recorders/record_prompt_cleaning.py wrote this"
    others = [{"text": text, "cleaned": clean(text), "why": why} for text, why in NOT_REPRODUCED]
    args.out.write_text(json.dumps({"note": note, "cases": cases, "not_reproduced": others}, indent=0) + "\n")
    print(f"{len(cases)} cases in {args.out}")


if __name__ == "__main__":
    main()
