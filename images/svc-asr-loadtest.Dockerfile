# Made by `npm run images -- --dockerfiles` from tools/images, which a test compares it with.
# docker build --file images/svc-asr-loadtest.Dockerfile --build-arg VERSION=0.1.0 --tag svc-asr-loadtest:0.1.0 .
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS go

FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
ARG TARGETARCH
COPY --from=go /usr/local/go /usr/local/go
WORKDIR /src
COPY . .
RUN npm ci && npx tsc --build && node packages/api-docs/dist/build.js
RUN node tools/images/stage.ts svc-asr-loadtest linux/$TARGETARCH /stage

FROM scratch
ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="svc-asr-loadtest"
LABEL org.opencontainers.image.description="Load tests of svc-asr, with k6 and recordings."
LABEL org.opencontainers.image.version="$VERSION"
LABEL org.opencontainers.image.licenses="Apache-2.0 AND AGPL-3.0-only"
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV NODE_ENV=production
COPY --from=build /stage/system/ /
COPY --from=build /stage/node/ /
COPY --from=build /stage/k6/ /
COPY --from=build /stage/recordings/ /
COPY --from=build /stage/program/ /
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["node","/app/tools/tasks/loadtest.ts"]
