"""Serves the files of a folder as the bucket `games`, as S3 does, until standard input ends."""

import os
import sys

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://{host}:{port}"
client = boto3.client(
    "s3",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="key",
    aws_secret_access_key="secret",
)
client.create_bucket(Bucket="games")
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        client.put_object(Bucket="games", Key=f"of all/{name}", Body=file)
print(endpoint, flush=True)
sys.stdin.read()
server.stop()
