import type { CheckpointPlace } from "../../../api/places.js";
import { linkToCheckpoint } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";
import { useChange } from "./use-change.js";

interface RollbackProps {
  readonly place: CheckpointPlace;
}

/** Takes a namespace back to one of its checkpoints. */
export function RollbackAction({ place }: RollbackProps) {
  return <ActionButton label="Roll back…" action="edit" dialog={RollbackDialog} subject={{ place }} />;
}

function RollbackDialog({ place, onClose }: RollbackProps & { readonly onClose: () => void }) {
  const change = useChange("rollback", ({ checkpointId }) => {
    navigate(linkToCheckpoint({ ...place, checkpointId }));
  });
  return (
    <ActionDialog
      title="Roll back to this checkpoint"
      sentence={
        <>
          A new checkpoint with the values of <bdi class="mono">{place.checkpointId}</bdi> becomes the newest;
          the later checkpoints stay, on a branch of their own.
        </>
      }
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit="Roll back"
          isReady
          isPending={change.isPending}
          error={change.error}
          onSubmit={() => {
            change.mutate(place, { onSuccess: close });
          }}
          onCancel={close}
        />
      )}
    </ActionDialog>
  );
}
