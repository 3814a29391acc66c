# The first stage has pip and builds; the second holds what runs.
FROM python:3.13.11-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_COMPILE=0 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build

# The dependencies change less often than the source, so they come first.
COPY pyproject.toml .ci/constraints.txt .ci/slim.py ./
RUN python -c "import tomllib; extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; print(*extras['server'], *extras['redis'], sep='\n')" \
        > requirements.txt \
    && pip install --constraint constraints.txt hatchling \
    && python -m venv --without-pip /opt/mockserver \
    && pip --python /opt/mockserver/bin/python install --constraint constraints.txt --requirement requirements.txt

# What no program reads stays out of the image.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends binutils=2.* \
    && PYTHONDONTWRITEBYTECODE=1 /opt/mockserver/bin/python slim.py

COPY README.md LICENSE ./
COPY .ci/hatch_build.py .ci/
COPY scenarios scenarios
COPY fixtures fixtures
COPY docs docs
COPY mockserver mockserver
RUN pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && pip --python /opt/mockserver/bin/python install --no-deps dist/*.whl


FROM python:3.13.11-slim-bookworm

LABEL org.opencontainers.image.title="mockserver" \
      org.opencontainers.image.description="A high-fidelity, stateful mock of the Brevo administration API, v3" \
      org.opencontainers.image.licenses="MIT"

COPY --from=build /opt/mockserver /opt/mockserver
ENV PATH=/opt/mockserver/bin:$PATH

# Bytecode of what the program imports, and of nothing else; later nobody can write it.
RUN mockserver scenarios check \
    && mockserver openapi > /dev/null \
    && python -c "from mockserver.app import create_app; from mockserver.app.runtime import Runtime; from mockserver.web.server.server import bind; Runtime(create_app(), bind('127.0.0.1', 0)).server.config.load()" \
    && python -c "import mockserver.app.control_api, mockserver.control.openapi, mockserver.control.server.metrics, mockserver.coverage.forms, prometheus_client" \
    && python -c "import jwt.algorithms, mockserver.web.pages.page" \
    && python -c "import mockserver.effects.dns, mockserver.effects.http, mockserver.effects.smtp_client, mockserver.effects.smtp_listener, mockserver.resources.inbound.mail" \
    && python -c "import mockserver.cli.server, mockserver.testing.client, mockserver.web.server.certificates, mockserver.web.server.tls_front, mockserver.app.tls" \
    && python -c "import mockserver.storage.engine_storage, mockserver.storage.records, mockserver.storage.redis_engine, mockserver.storage.sqlite_engine, mockserver.storage.working_set" \
    && mkdir /scenarios \
    && install -d -o 10001 -g 10001 -m 700 /data

# At most so many MB over the base image: 60, of which the bytecode of Python's own library takes some 6.
RUN python -c "from pathlib import Path; size = sum(path.lstat().st_size for path in Path('/opt/mockserver').rglob('*')); assert size < 54_000_000, size"

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MOCKSERVER_HOST=0.0.0.0 \
    MOCKSERVER_PORT_FILE=/dev/shm/mockserver-port \
    MOCKSERVER_SCENARIOS=/scenarios

USER 10001:10001
EXPOSE 8003
# It reads the port file, whatever --port says, in memory: the file system of a container may be read-only.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["mockserver", "health"]
ENTRYPOINT ["mockserver"]
CMD ["serve"]
