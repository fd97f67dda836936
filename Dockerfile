# Debian 12 with what scripts/setup and scripts/test take. Build and use:
#     docker build -t syncfabric .
#     docker run --rm -it syncfabric scripts/demo
# Chromium is optional: only the tests of report pages need it. Add it with
#     docker build -t syncfabric --build-arg BROWSER="chromium chromium-driver" .
FROM debian:12-slim AS tools
ARG BROWSER=""
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends \
        ca-certificates g++ git iverilog libpython3.11 make python3 python3-venv $BROWSER \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /syncfabric

# .devcontainer stops at the stage above, and runs scripts/setup in the checkout that it mounts.
FROM tools
COPY . .
RUN scripts/setup
ENV PATH=/syncfabric/.venv/bin:$PATH
CMD ["bash"]
