import { useEffect, useState } from "preact/hooks";
import { Failure } from "../failure.js";
import { imageTypeOf } from "./image-type.js";
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
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let created: string | undefined;
    let isGone = false;
    read().then(
      (bytes) => {
        const type = imageTypeOf(bytes);
        if (type === undefined) setError(new Error("This is no PNG, JPEG, GIF or WebP image."));
        if (type === undefined || isGone) return;
        created = URL.createObjectURL(new Blob([bytes], { type }));
        setAddress(created);
      },
      (failure: unknown) => {
        setError(failure);
      },
    );
    return () => {
      isGone = true;
      if (created !== undefined) URL.revokeObjectURL(created);
    };
  }, []);
  if (error !== undefined) return <Failure error={error} />;
  if (address === undefined) return <span class="loading"> Loading the image…</span>;
  return (
    <img
      class="shown-image"
      src={address}
      alt={name === "" ? "Image of the message" : name}
      onError={() => {
        setError(new Error("The browser can't read this image."));
      }}
    />
  );
}
