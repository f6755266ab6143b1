# Takes more memory than it may, or says that it could.
python3 -c 'import sys; block = bytearray(9 << 30); sys.stdout.write("it could")'
