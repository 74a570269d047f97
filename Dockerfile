# Build with everything, run with little: the second stage has no compiler and no development packages.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
COPY projections projections
COPY sdk/src sdk/src
COPY web web
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
WORKDIR /app
COPY --from=build --chown=node:node /app/node_modules node_modules
COPY --from=build --chown=node:node /app/dist dist
COPY --chown=node:node package.json ./
RUN mkdir /data && chown node:node /data
USER node
# So that the image includes Node's compile cache. As this user, because Node keeps one for each.
RUN node -e "for (const part of [ \
    'app/compile-cache', \
    'app/service', \
    'platform/event-store/eventstoredb/eventstoredb-store', \
    'platform/read-model/mongodb/mongodb-read-model', \
  ]) require('./dist/src/' + part)"
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
