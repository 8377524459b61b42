import { ServerError } from "../server/call-server.js";

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Shows why a call failed. */
export function Failure({ error, onRetry }: FailureProps) {
  const message = error instanceof Error ? error.message : "the call failed";
  return (
    <div class="failure" role="alert">
      <p>
        <bdi>{message}</bdi>
      </p>
      {error instanceof ServerError && <p class="dim">{error.code}</p>}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
