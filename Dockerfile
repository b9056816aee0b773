# The image of a release has a static binary and git, which cerberus runs for the history:
#
#   docker build --build-arg VERSION=X.Y.Z --build-arg REPOSITORY=https://github.com/OWNER/NAME .
#   docker run --rm --volume "$PWD:/project" IMAGE check
#
# The release workflow passes the version and the repository. The binary is downloaded by the
# installer of the release, which verifies its checksum.
FROM alpine:3.22
ARG VERSION
ARG REPOSITORY
# hadolint ignore=DL3018
RUN apk add --no-cache git \
    && wget -q -O /tmp/install.sh "$REPOSITORY/releases/download/v$VERSION/install.sh" \
    && CERBERUS_INSTALL_DIR=/usr/local/bin sh /tmp/install.sh \
    && rm /tmp/install.sh \
    # The owner of a mounted project is another user.
    && git config --system --add safe.directory '*' \
    && adduser -D -u 1000 cerberus
USER 1000
WORKDIR /project
ENTRYPOINT ["cerberus"]
CMD ["check"]
