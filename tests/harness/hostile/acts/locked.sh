# Takes the permissions from its workspace.
printf %s "$say"
mkdir -p kept/below && : >kept/below/file && chmod 000 kept/below kept .
