import { useQuery } from "@tanstack/preact-query";
import { useEffect, useId, useState } from "preact/hooks";
import { Failure } from "../read-state.js";
import "./media.css";

interface ShownImageProps {
  /** What the message says about the image. */
  readonly name: string;
  /** Reads the bytes, when a person wants to see them. */
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * A button that shows an image. The page makes its address of the bytes, and the policy of the page allows no other, so that no text can
 * show one.
 */
export function ShownImage({ name, read }: ShownImageProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {isOpen ? "Hide" : "Show"}
        <span class="sr-only"> the image</span>
      </button>
      {isOpen && <LoadedImage name={name} read={read} />}
    </>
  );
}

function LoadedImage({ name, read }: ShownImageProps) {
  const [address, setAddress] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const { data, error, refetch } = useQuery({ queryKey: ["image", useId()], queryFn: read, gcTime: 0 });
  useEffect(() => {
    if (data === undefined) return;
    const type = imageTypeOf(data);
    if (type === undefined) {
      setProblem(new Error("This is no PNG, JPEG, GIF or WebP image."));
      return;
    }
    const created = URL.createObjectURL(new Blob([data], { type }));
    setAddress(created);
    return () => {
      URL.revokeObjectURL(created);
    };
  }, [data]);
  if (problem !== undefined) return <Failure error={problem} />;
  if (data === undefined && error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (address === undefined) return <span class="loading"> Loading the image…</span>;
  return (
    <img
      class="shown-image"
      src={address}
      alt={name === "" ? "Image of the message" : name}
      onError={() => {
        setProblem(new Error("The browser can't read this image."));
      }}
    />
  );
}

/** The beginnings of the images that the page shows. SVG is none of them: it is a document with scripts and addresses. */
const BEGINNINGS = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(?:37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
] as const;

/** Returns the type of an image by what it is, whatever the message says; `undefined` for anything else. */
function imageTypeOf(bytes: Uint8Array): string | undefined {
  const start = Array.from(bytes.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return BEGINNINGS.find(([, beginning]) => beginning.test(start))?.[0];
}

/** Returns the bytes of a `data:` address in base64; none where it is something else. */
export function imageBytes(address: string): Uint8Array<ArrayBuffer> {
  try {
    const text = atob(decodeURIComponent(address.slice(address.indexOf(",") + 1)));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
