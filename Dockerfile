# The MCP server. Two stages: the first makes a virtual environment, the second holds nothing but that.
FROM python:3.12-slim AS build

WORKDIR /src
# The environment gets no pip of its own; the one of this stage installs into it.
RUN python -m venv --without-pip /opt/venv
COPY pyproject.toml README.md LICENSE ./
COPY prompts prompts/
COPY researcher_integration researcher_integration/
COPY summarizer_tool summarizer_tool/
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m pip wheel --disable-pip-version-check --no-deps --wheel-dir /src/dist . && \
    python -m pip --python /opt/venv/bin/python install --disable-pip-version-check \
    "$(echo /src/dist/*.whl)[batch,documents,embeddings,openai,server]"


FROM python:3.12-slim

# The store is the only thing that is written; a new volume takes its owner over.
RUN groupadd --gid 10001 summarizer && \
    useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin summarizer && \
    install --directory --owner 10001 --group 10001 --mode 0750 /data
COPY --from=build /opt/venv /opt/venv

ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MCP_HOST=0.0.0.0 \
    MCP_SUMMARIZER_PORT=8007 \
    SUMMARIZER_STORE=/data/store.sqlite3

USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8007
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.build_opener(web.ProxyHandler({})).open('http://127.0.0.1:' + os.environ['MCP_SUMMARIZER_PORT'] + '/health', timeout=2)"]
CMD ["summarizer", "serve"]
