import { useState } from "preact/hooks";
import { linkToThread } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";
import { TextField } from "./text-field.js";
import { useChange } from "./use-change.js";

interface CopyProps {
  readonly threadId: string;
}

/** Copies a thread. */
export function CopyAction({ threadId }: CopyProps) {
  return <ActionButton label="Copy…" action="edit" dialog={CopyDialog} subject={{ threadId }} />;
}

function CopyDialog({ threadId, onClose }: CopyProps & { readonly onClose: () => void }) {
  const [target, setTarget] = useState(`${threadId}-copy`);
  const change = useChange("copyThread", () => {
    navigate(linkToThread({ threadId: target, namespace: "" }));
  });
  return (
    <ActionDialog
      title="Copy this thread"
      sentence="All checkpoints, values and pending writes are stored a second time, under another id; this thread stays as it is."
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit="Copy"
          isReady={target !== "" && target !== threadId}
          isPending={change.isPending}
          error={change.error}
          onSubmit={() => {
            change.mutate({ source: threadId, target }, { onSuccess: close });
          }}
          onCancel={close}
        >
          <TextField label="Id of the copy" value={target} onChange={setTarget} />
        </ActionForm>
      )}
    </ActionDialog>
  );
}
