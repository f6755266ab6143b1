# Answers with bytes that are no text.
printf '%s\xff\xfe' "$say"
