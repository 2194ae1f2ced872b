"""Prints the documents in a page that is one file: their keys and what was cut, or one document. Usage: FILE [KEY]"""
import base64
import json
import re
import sys
import zlib

page = open(sys.argv[1], encoding="utf-8").read()
packed = re.search(r'id="clew-data">([A-Za-z0-9+/=]*)</script>', page)[1]
held = json.loads(zlib.decompress(base64.b64decode(packed), -15))
if len(sys.argv) > 2:
    print(json.dumps(held["documents"][sys.argv[2]], sort_keys=True))
else:
    print("\n".join(sorted(held["documents"]) + held["cut"]))
