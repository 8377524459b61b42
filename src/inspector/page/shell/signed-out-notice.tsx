import { useEffect } from "preact/hooks";
import { SignIn } from "../parts/sign-in.js";
import { checkSession } from "../server/call-server.js";
import { useSessionEnd } from "../server/session.js";
import "./signed-out-notice.css";

/** Says that the person is signed out, until that is over. What the page shows and what was typed stay. */
export function SignedOutNotice() {
  const error = useSessionEnd();
  const isSignedOut = error !== undefined;
  useEffect(() => {
    if (!isSignedOut) return;
    // The person may come back from signing in elsewhere.
    const look = (): void => {
      if (!document.hidden) checkSession().catch(() => undefined);
    };
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      removeEventListener("focus", look);
    };
  }, [isSignedOut]);
  if (error === undefined) return null;
  return (
    <div class="signed-out" role="alert">
      <p>
        <bdi>{error.message}</bdi> What you have typed is still here.
      </p>
      <SignIn />
    </div>
  );
}
