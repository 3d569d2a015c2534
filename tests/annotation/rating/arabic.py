"""The study of `scenes` with all of its own texts in Arabic."""

from __future__ import annotations

from concord.protocols import ScalePoint
from tests.annotation.rating.scenes import Scene, candidates, instance, make_study, protocol

PASSAGE = (
    "وجدت ميرا الإبريق القديم خلف الموقد. كان لجدتها التي كانت تغلي فيه الماء كل صباح قبل أن يفتح "
    "السوق.\n\nفي ذلك الشتاء تجمد النهر، وبقيت القوارب في الميناء حتى شهر مارس. باعت ميرا الشاي "
    "للصيادين الذين انتظروا على الرصيف."
)
ANSWERS = ("الإبريق القديم", "قدر طويل (pot)", "شاي للصيادين", "فرن", "إبريقها", "")
LABELS = ("خطأ تمامًا", "خطأ في معظمه", "صحيح جزئيًا", "صحيح في معظمه", "صحيح تمامًا")


def make_arabic_study() -> Scene:
    """The raters' language is Arabic; the test stays in English."""
    shown = instance("m1", PASSAGE, question="في ماذا غلت ميرا الماء؟", references=("إبريق",))
    points = protocol().scale
    scale = tuple(
        ScalePoint(point.value, label) for point, label in zip(points, LABELS, strict=True)
    )
    return make_study(
        rated=candidates(shown, ANSWERS),
        question="إلى أي مدى تتفق هذه الإجابة مع الإجابة الصحيحة؟",
        instructions="اقرأ النص، ثم **قيّم** كل إجابة.",
        consent="أوافق على المشاركة.",
        scale=scale,
    )
