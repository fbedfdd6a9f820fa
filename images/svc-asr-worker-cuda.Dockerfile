# Made by `npm run images -- --dockerfiles` from tools/images, which a test compares it with.
# docker build --file images/svc-asr-worker-cuda.Dockerfile --build-arg VERSION=0.1.0 --tag svc-asr-worker:0.1.0-cuda .
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
ARG TARGETARCH=amd64
RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN npm ci && npx tsc --build && node packages/api-docs/dist/build.js
RUN node tools/images/stage.ts svc-asr-worker-cuda linux/$TARGETARCH /stage

FROM scratch
ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="svc-asr-worker-cuda"
LABEL org.opencontainers.image.description="Recognizes speech on NVIDIA GPUs; carries the demo models."
LABEL org.opencontainers.image.version="$VERSION"
LABEL org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV NODE_ENV=production
ENV NVIDIA_VISIBLE_DEVICES=all
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
COPY --from=build /stage/system/ /
COPY --from=build /stage/node/ /
COPY --from=build /stage/dependencies/ /
COPY --from=build /stage/cuda/ /
COPY --from=build /stage/models/ /
COPY --from=build /stage/program/ /
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["node","/app/worker/dist/main.js"]
