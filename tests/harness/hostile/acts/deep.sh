# Answers, and makes folders deeper than a path may be long.
printf %s "$say"
for ((i = 0; i < 60; i++)); do
  name=$(printf 'd%.0s' {1..200})
  mkdir "$name" && cd "$name" || break
done
: >bottom
