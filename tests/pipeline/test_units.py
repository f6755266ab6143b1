"""What is known of a unit can be kept and sent, with all that it holds."""

from __future__ import annotations

from sitegen.digests import sha256
from sitegen.pipeline.cache import pack, unpack
from sitegen.pipeline.units import UnitBuilt, UnitFacts
from sitegen.refusals import Refusal

DIGEST = sha256(b"")
FACTS = UnitFacts(
    protocol_id="demo.v1", heads=(DIGEST,), protocol=DIGEST, reports={"a-run": DIGEST}, withdrawn={"b-run": DIGEST}
)


def test_a_unit_survives_being_kept_and_sent() -> None:
    refusal = Refusal(slug="seal-missing", file="protocols/demo.v1", expected="a seal", found="nothing", hint="seal it")
    unit = UnitBuilt(facts=FACTS, refusals=(refusal,), key=DIGEST, standing=b"packed", published=True, count=3)
    assert unpack(pack(unit)) == unit


def test_the_bulk_of_a_unit_is_not_in_what_is_shown_of_it() -> None:
    unit = UnitBuilt(facts=FACTS, refusals=(), key=DIGEST, standing=b"packed" * 1000)
    assert "packed" not in repr(unit)
