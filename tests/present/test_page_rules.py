from __future__ import annotations

from sitegen.present import page_rules


def test_no_rule_lets_script_style_or_an_address_in() -> None:
    names = page_rules.GLOBAL | page_rules.DATA | page_rules.ARIA
    names |= {name for attributes in page_rules.ELEMENTS.values() for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert not {"style", "srcset", "srcdoc", "action", "formaction", "xlink:href", "background", "ping"} & names
    forbidden = {"style", "iframe", "object", "embed", "form", "base", "template", "foreignobject", "use", "math"}
    assert not forbidden & set(page_rules.ELEMENTS)
    holders = {element for element, attributes in page_rules.ELEMENTS.items() if "src" in attributes}
    assert holders == {"script", "img"}
