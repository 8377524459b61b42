import type { ComponentChildren } from "preact";
import type { WriteCalls, WriteName } from "../../../api/inspector-api.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";
import { useChange } from "./use-change.js";

interface ConfirmProps<Name extends WriteName> {
  readonly label: string;
  readonly title: string;
  /** What the action will do, and what stays. */
  readonly sentence: ComponentChildren;
  /** What the button that acts says. */
  readonly submit: string;
  readonly call: Name;
  readonly args: WriteCalls[Name]["args"];
  readonly onDone?: (() => void) | undefined;
}

/** Deletes something after a question that asks for nothing else. */
export function ConfirmAction<Name extends WriteName>({ label, ...subject }: ConfirmProps<Name>) {
  return <ActionButton label={label} action="delete" dialog={ConfirmDialog<Name>} subject={subject} />;
}

function ConfirmDialog<Name extends WriteName>({
  title,
  sentence,
  submit,
  call,
  args,
  onDone,
  onClose,
}: Omit<ConfirmProps<Name>, "label"> & { readonly onClose: () => void }) {
  const change = useChange(call, onDone);
  return (
    <ActionDialog title={title} sentence={sentence} onClose={onClose}>
      {(close) => (
        <ActionForm
          submit={submit}
          isReady
          isPending={change.isPending}
          error={change.error}
          onSubmit={() => {
            change.mutate(args, { onSuccess: close });
          }}
          onCancel={close}
        />
      )}
    </ActionDialog>
  );
}
