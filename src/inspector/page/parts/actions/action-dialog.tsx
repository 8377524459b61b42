import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import "./actions.css";

interface ActionDialogProps {
  readonly title: string;
  /** What the action will do, and what stays. */
  readonly sentence: ComponentChildren;
  readonly onClose: () => void;
  /** @param close - Closes the dialog, and gives the focus back to the button that opened it. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** Asks about an action. The browser keeps the focus in the dialog, and closes it on Escape. */
export function ActionDialog({ title, sentence, onClose, children }: ActionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => {
    dialog.current?.close();
  };
  return (
    <dialog
      ref={dialog}
      class="action-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-sentence`}
      onClose={onClose}
      // The keys of the page behind must do nothing meanwhile.
      onKeyDown={(event) => {
        event.stopPropagation();
      }}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-sentence`}>{sentence}</p>
      {children(close)}
    </dialog>
  );
}
