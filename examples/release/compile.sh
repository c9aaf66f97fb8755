# Builds the program for one system: WF_ITEM.
set -eu
file=work/dist/hello-$VERSION-$WF_ITEM
sed -e "s/@VERSION@/$VERSION/" -e "s/@TARGET@/$WF_ITEM/" work/hello.in > "$file"
echo "file=$file" >> "$WF_OUTPUT"
echo "bytes=$(wc -c < "$file" | tr -d ' ')" >> "$WF_OUTPUT"
