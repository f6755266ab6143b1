# beta
exit 0
