import { useQuery } from "@tanstack/preact-query";
import { useEffect, useId, useState } from "preact/hooks";
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
