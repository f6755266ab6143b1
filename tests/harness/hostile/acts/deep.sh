# Answers, and makes folders deeper than a path may be long.
printf %s "$say"
name=$(printf 'd%.0s' {1..200})
below=$(printf "$name/%.0s" {1..15})
for ((i = 0; i < 4; i++)); do
  mkdir -p "$below" && cd "$below" || break
done
: >bottom
