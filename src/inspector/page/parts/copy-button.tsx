import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface CopyIdProps {
  readonly id: string;
  /** What the id is of, such as `thread`. */
  readonly of: string;
}

/** A small button that copies an id, beside the id. */
export function CopyId({ id, of }: CopyIdProps) {
  return (
    <CopyButton text={id} label={`Copy the id of the ${of}`}>
      <svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" aria-hidden="true">
        <path d="M4.5 4.5h8v8h-8zM9.5 4.5v-3h-8v8h3" />
      </svg>
    </CopyButton>
  );
}

interface CopyButtonProps {
  /** The name of the button, where it only has a picture. */
  readonly label?: string;
  /** What to copy, or what reads it. */
  readonly text: string | (() => Promise<string>);
  readonly children: ComponentChildren;
}

/** Copies a text, and says so. Browsers allow that only on this machine and by HTTPS; elsewhere there is no button. */
export function CopyButton({ text, label, children }: CopyButtonProps) {
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
      <button
        type="button"
        class={label && "copy-id"}
        aria-label={label}
        title={label}
        onClick={() => void copy()}
      >
        {children}
      </button>{" "}
      <span class="dim" role="status">
        {outcome}
      </span>
    </span>
  );
}
