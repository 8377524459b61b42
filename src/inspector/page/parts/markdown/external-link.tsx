import type { ComponentChildren } from "preact";
import { safeAddress } from "./safe-address.js";

interface ExternalLinkProps {
  readonly address: string;
  readonly children: ComponentChildren;
}

/**
 * A link that a stored text asks for. It says where it leads, since its text may say something else. What is no link that the page allows is
 * a text.
 */
export function ExternalLink({ address, children }: ExternalLinkProps) {
  const href = safeAddress(address);
  if (href === undefined) {
    return (
      <>
        {children} (<bdi>{address}</bdi>)
      </>
    );
  }
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" title={href}>
      {children}
    </a>
  );
}
