# Serves a folder of recordings:
#
#     docker build --tag gametape .
#     docker run --rm --publish 8420:8420 --env GAMETAPE_TOKEN --volume "$PWD:/tapes:ro" gametape
#
# and then http://localhost:8420/?token=… in a browser. Any other command works, too:
#
#     docker run --rm --volume "$PWD:/tapes:ro" gametape verify /tapes

FROM rust:1.95-trixie AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends nodejs npm \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /gametape
COPY . .
# The command contains the page, so the page comes first.
RUN cargo xtask viewer && cargo build --release --locked --package gametape-cli

# The same Debian: the command is linked to its C library.
FROM debian:trixie-slim
RUN useradd --system --no-create-home --uid 8420 gametape && install --directory --owner gametape /tapes
COPY --from=build /gametape/target/release/gametape /usr/local/bin/gametape
COPY --from=build /gametape/LICENSE-APACHE /gametape/LICENSE-MIT /usr/share/doc/gametape/
USER gametape
WORKDIR /tapes
VOLUME /tapes
EXPOSE 8420
# Without GAMETAPE_TOKEN the server refuses to start, because other machines can reach it.
ENTRYPOINT ["gametape"]
CMD ["serve", "/tapes", "--listen", "0.0.0.0:8420"]
