import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { PageAction } from "../../../api/actions.js";
import { useOverview } from "../../server/overview-context.js";

interface ActionButtonProps<Subject> {
  readonly label: string;
  /** The right that it takes. */
  readonly action: PageAction;
  /** Asks about the action. */
  readonly dialog: ComponentType<Subject & { readonly onClose: () => void }>;
  /** What the action is about. */
  readonly subject: Subject;
}

/** A button that asks about an action. There is none for who may not do it. */
export function ActionButton<Subject extends object>({
  label,
  action,
  dialog,
  subject,
}: ActionButtonProps<Subject>) {
  const { may } = useOverview();
  const [isOpen, setOpen] = useState(false);
  if (!may[action]) return null;
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
