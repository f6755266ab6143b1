# Makes a link of its result file.
printf %s "$say"
ln -s /etc/hostname "$RESULT_JSON"
