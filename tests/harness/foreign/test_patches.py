from __future__ import annotations

from sitegen.harness.foreign.patches import files_in

GIT = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\ndiff --git a/y b/y\ndeleted file mode 100644\n"
PLAIN = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n"


def test_files_are_counted_once_each() -> None:
    assert files_in(GIT) == files_in(PLAIN) == files_in(GIT + GIT) == 2


def test_no_patch_is_not_recorded_and_an_empty_one_touches_nothing() -> None:
    assert files_in(None) is None
    assert files_in("") == 0
