import type { MediaData, MessageMedia } from "../../../api/checkpoints.js";
import type { ValuePlace } from "../../../api/places.js";
import { fileAddress, hasType, send } from "../../server/call-server.js";
import { DownloadLink } from "../download-link.js";
import { ExternalLink } from "../markdown/external-link.js";
import { formatBytes } from "../number-texts.js";
import { ShownImage } from "./shown-image.js";

const NAMES: Readonly<Record<MessageMedia["media"], string>> = {
  image: "Image",
  audio: "Audio",
  video: "Video",
  file: "File",
};

interface MediaPartProps {
  readonly place: ValuePlace;
  readonly part: MessageMedia;
}

/** An image, a recording or a file of a message. Its data is read when somebody wants it; what is elsewhere is only a link. */
export function MediaPart({ place, part: { media, mediaType, url, data } }: MediaPartProps) {
  const shown = [NAMES[media], mediaType && brief(mediaType), data && formatBytes(data.bytes)];
  const text = shown.filter((each) => each !== undefined).join(", ");
  return (
    <div class="media-part">
      <bdi>{text}</bdi>{" "}
      {url !== undefined && (
        <ExternalLink address={url}>
          <bdi>{url}</bdi>
        </ExternalLink>
      )}
      {data !== undefined && (
        <>
          <DownloadLink address={dataAddress(place, data)}>
            Download<span class="sr-only"> the {media}</span>
          </DownloadLink>{" "}
          {media === "image" && <ShownImage name="" read={() => readBytes(place, data)} />}
        </>
      )}
    </div>
  );
}

/** `PNG` */
function brief(mediaType: string): string {
  const [, name] = /^image\/(png|jpeg|gif|webp)$/.exec(mediaType) ?? [];
  return name?.toUpperCase() ?? mediaType;
}

function dataAddress(place: ValuePlace, { path, isBase64 }: MediaData): string {
  return fileAddress("download", { place, path, ...(isBase64 && { isBase64 }) });
}

async function readBytes(place: ValuePlace, data: MediaData): Promise<Uint8Array<ArrayBuffer>> {
  return send(dataAddress(place, data), {}, async (response) =>
    hasType(response, "application/octet-stream") ? new Uint8Array(await response.arrayBuffer()) : undefined,
  );
}
