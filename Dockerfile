# What is shipped holds node, the libraries that it loads, and Plimsoll: no shell, no npm, no package manager.
# BASE has Node 24, npm and a shell; nothing of it but node and its libraries is shipped.
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build

FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Declarations and source maps are half of it, and nothing reads them.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete

FROM ${BASE} AS runtime
# Node itself tells what it has loaded. The C library finds names (DNS, /etc/hosts) by itself.
RUN node=$(command -v node) && mkdir -p /rootfs/etc /rootfs/usr/local/bin \
    && cp -L "$node" /rootfs/usr/local/bin/node \
    && for library in $(node -p "process.report.getReport().sharedObjects.filter((path) => path.startsWith('/')).join(' ')"); do \
         mkdir -p "/rootfs$(dirname "$library")" && cp -L "$library" "/rootfs$library" || exit 1; \
       done \
    && if [ -f /usr/local/LICENSE ]; then cp /usr/local/LICENSE /rootfs/usr/local/LICENSE; fi \
    && echo 'plimsoll:x:65532:65532:plimsoll:/app:/none' > /rootfs/etc/passwd

FROM scratch
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="plimsoll" \
      org.opencontainers.image.description="Admission webhook for KubeVirt clusters: base volumes sized to their image, memory limits that follow node density" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV PATH=/usr/local/bin NODE_ENV=production
WORKDIR /app
COPY --from=runtime /rootfs /
COPY --from=dependencies /app/node_modules node_modules
COPY LICENSE package.json ./
COPY --from=build /app/dist dist
# By number: Kubernetes has to see that it is not root.
USER 65532:65532
EXPOSE 8443 8080
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["serve"]
