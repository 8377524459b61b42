import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { useOverview } from "../../server/overview-context.js";

interface ActionButtonProps<Subject> {
  readonly label: string;
  /** Asks about the action. */
  readonly dialog: ComponentType<Subject & { readonly onClose: () => void }>;
  /** What the action is about. */
  readonly subject: Subject;
}

/** A button that asks about an action. There is none for who may only read. */
export function ActionButton<Subject extends object>({ label, dialog, subject }: ActionButtonProps<Subject>) {
  const { canWrite } = useOverview();
  const [isOpen, setOpen] = useState(false);
  if (!canWrite) return null;
  const Dialog = dialog;
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(true);
        }}
      >
        {label}
      </button>
      {isOpen && (
        <Dialog
          {...subject}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
