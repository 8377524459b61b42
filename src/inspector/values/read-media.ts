import { isObject } from "../../serde/objects/inspect-object.js";
import type { MediaData, MessageMedia } from "../api/checkpoints.js";
import { fieldOf, type Located, textAt } from "./value-parts.js";
import { isBytes } from "./value-type.js";

/** By type of a part: what it is. The shapes are those of LangChain, OpenAI, Anthropic, Google and Bedrock, also as Python spells them. */
const KINDS: ReadonlyMap<string, MessageMedia["media"]> = new Map([
  ["image", "image"],
  ["image_url", "image"],
  ["input_image", "image"],
  ["image_generation_call", "image"],
  ["audio", "audio"],
  ["input_audio", "audio"],
  ["video", "video"],
  ["file", "file"],
  ["input_file", "file"],
  ["document", "file"],
  ["media", "file"],
]);

/** The fields that the description is in, if it is not in the part itself. */
const INSIDE = ["source", "image_url", "input_audio", "image", "audio", "video", "file", "document"];
const DATA = ["data", "base64", "file_data", "bytes", "result"];
const ADDRESSES = ["url", "image_url", "file_url", "fileUri", "file_uri", "uri"];

/** More would not be a link that anybody can read. */
const MAX_URL = 2_000;
const MAX_TYPE = 100;

/** Reads an image, a recording, a film or a file. Returns `undefined` where there is neither data nor an address. */
export function readMedia(part: Located): MessageMedia | undefined {
  const kind = KINDS.get(textAt(part.value, "type") ?? "");
  if (kind === undefined) return undefined;
  for (const from of placesIn(part)) {
    const found = readFrom(from);
    if (found === undefined) continue;
    const { mediaType = typeIn([...placesIn(part)], kind), ...rest } = found;
    const media = kind === "file" ? mediaOf(mediaType) : kind;
    return { kind: "media", media, path: part.path, ...(mediaType !== undefined && { mediaType }), ...rest };
  }
  return undefined;
}

type Found = Pick<MessageMedia, "url" | "data" | "mediaType">;

function* placesIn(part: Located): Generator<Located, undefined> {
  yield part;
  for (const name of INSIDE) {
    const inside = fieldOf(part, name);
    if (inside === undefined || !isObject(inside.value)) continue;
    yield inside;
    const source = fieldOf(inside, "source");
    if (source !== undefined) yield source;
  }
}

function readFrom(from: Located): Found | undefined {
  // A document that is text is read as a value.
  if (textAt(from.value, "source_type", "type") === "text") return undefined;
  for (const name of [...DATA, ...ADDRESSES]) {
    const field = fieldOf(from, name);
    if (field === undefined) continue;
    const { value, path } = field;
    if (typeof value === "string") {
      const found = value.startsWith("data:")
        ? readDataUrl(value, path)
        : ADDRESSES.includes(name)
          ? readAddress(value)
          : readBase64(value, path);
      if (found !== undefined) return found;
    } else if (isObject(value) && isBytes(value)) {
      return { data: { path, bytes: value.byteLength, isBase64: false } };
    }
  }
  return undefined;
}

function typeIn(places: readonly Located[], kind: MessageMedia["media"]): string | undefined {
  for (const { value } of places) {
    const type = textAt(value, "mimeType", "mime_type", "media_type", "mediaType");
    if (type !== undefined && type !== "") return type.slice(0, MAX_TYPE);
    const format = textAt(value, "format");
    if (format !== undefined && /^[\w.+-]{1,20}$/.test(format)) return `${kind}/${format}`;
  }
  return undefined;
}

function readAddress(url: string): Found | undefined {
  return url === "" || url.length > MAX_URL ? undefined : { url };
}

/** `data:image/png;base64,…` */
function readDataUrl(url: string, path: MediaData["path"]): Found | undefined {
  const head = /^data:(?<mediaType>[^;,]*)[^,]*;base64,/s.exec(url.slice(0, 500));
  if (head === null) return undefined;
  const mediaType = (head.groups?.mediaType ?? "").slice(0, MAX_TYPE);
  const bytes = bytesIn(url, head[0].length);
  return { ...(mediaType !== "" && { mediaType }), data: { path, bytes, isBase64: true } };
}

function readBase64(text: string, path: MediaData["path"]): Found | undefined {
  // The beginning and the end say enough: a text of a person has other characters there.
  const [start, end] = [text.slice(0, -4).slice(0, 500), text.slice(-4)];
  if (!/^[\w+/\s-]*$/.test(start) || !/^[\w+/\s-]+={0,2}\s*$/.test(end)) return undefined;
  return { data: { path, bytes: bytesIn(text, 0), isBase64: true } };
}

function bytesIn(text: string, from: number): number {
  const padding = /={0,2}$/.exec(text.slice(-2))?.[0].length ?? 0;
  return Math.floor(((text.length - from) * 3) / 4) - padding;
}

function mediaOf(mediaType = ""): MessageMedia["media"] {
  return (["image", "audio", "video"] as const).find((media) => mediaType.startsWith(`${media}/`)) ?? "file";
}
