import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface CopyButtonProps {
  /** What to copy, or what reads it. */
  readonly text: string | (() => Promise<string>);
  readonly children: ComponentChildren;
}

/** Copies a text, and says so. Browsers allow that only on this machine and by HTTPS; elsewhere there is no button. */
export function CopyButton({ text, children }: CopyButtonProps) {
  const [outcome, setOutcome] = useState("");
  if (!isSecureContext) return null;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setOutcome("Copied");
    } catch {
      setOutcome("Not copied");
    }
  };
  return (
    <span>
      <button type="button" onClick={() => void copy()}>
        {children}
      </button>{" "}
      <span class="dim" role="status">
        {outcome}
      </span>
    </span>
  );
}
