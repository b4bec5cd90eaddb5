"""`make pictures` takes a picture in both themes, of what there is to see and no more."""

from PIL import Image

from tests import pictures


def test_a_picture_is_taken_in_both_themes(lab, tmp_path):
    pictures.take(lab, "glossary-panel", tmp_path)
    light, dark = (Image.open(tmp_path / f"glossary-panel{ending}.png") for ending in ("", "-dark"))
    assert light.size == dark.size
    assert min(light.size) > 500
    corners = [picture.convert("L").getpixel((2, picture.height - 2)) for picture in (light, dark)]
    assert corners[0] > 200
    assert corners[1] < 60
