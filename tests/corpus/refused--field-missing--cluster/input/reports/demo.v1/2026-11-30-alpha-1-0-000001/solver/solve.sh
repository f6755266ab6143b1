# alpha
exit 0
