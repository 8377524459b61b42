import { ShownImage } from "../media/shown-image.js";
import { imageBytes } from "../media/image-bytes.js";
import { ExternalLink } from "./external-link.js";

interface TextImageProps {
  readonly address: string;
  /** What the text says instead of the image. */
  readonly name: string;
}

/** An image that a text asks for. One of elsewhere is never loaded, since whoever has it would learn of that. */
export function TextImage({ address, name }: TextImageProps) {
  const label = name === "" ? "Image" : `Image: ${name}`;
  if (!address.startsWith("data:")) return <ExternalLink address={address}>{label}</ExternalLink>;
  return (
    <span class="text-image">
      <bdi>{label}</bdi> <ShownImage name={name} read={() => Promise.resolve(imageBytes(address))} />
    </span>
  );
}
