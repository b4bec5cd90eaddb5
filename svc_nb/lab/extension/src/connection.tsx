/** What the current kernel is connected to, or how to connect it. */

import * as React from 'react';

import type { IStatus } from './answers';
import type { CurrentKernel } from './current';

const NO_KERNEL = 'This notebook has no kernel: start one to see its connection.';
const WORDS: Record<IStatus['presence'], string> = {
  none: 'No notebook is open. Open a Python notebook to see its connection; the panels work without one, too.',
  foreign: 'The kernel of this notebook is not Python. The panels have a kernel of their own.',
  missing: 'The kernel of this notebook has no svc_nb. To install it there, run %pip install svc-nb in a cell.',
  there: 'This kernel is not connected yet.',
  used: 'This kernel is not connected yet.'
};

export function Connection({ current }: { current: CurrentKernel }): React.ReactElement {
  return current.status.connected ? <Connected current={current} /> : <Unconnected current={current} />;
}

function Connected({ current: { status, label, problem } }: { current: CurrentKernel }): React.ReactElement {
  const { embedded, title, address } = status;
  return (
    <>
      <p className="svc-lab-connection" title={address}>
        <span className={`svc-lab-dot ${problem && 'svc-lab-troubled'}`} aria-hidden="true" />
        {title}
      </p>
      {embedded && <p className="svc-lab-small">On this machine, no account needed</p>}
      <p className="svc-lab-small">Kernel of {label}</p>
    </>
  );
}

function Unconnected({ current }: { current: CurrentKernel }): React.ReactElement {
  const { presence } = current.status;
  const [connecting, setConnecting] = React.useState(false);
  const button = React.useRef<HTMLButtonElement>(null);
  const connect = async () => {
    setConnecting(true);
    await current.connect();
    setConnecting(false);
  };
  // The button keeps the focus while disabled; when it disappears, the sidebar gets it.
  React.useLayoutEffect(() => () => {
    if (button.current?.matches(':focus')) {
      button.current.closest<HTMLElement>('[role="region"]')?.focus();
    }
  }, []);
  return (
    <>
      <p>{presence === 'none' && current.idleNotebook ? NO_KERNEL : WORDS[presence]}</p>
      {(presence === 'there' || presence === 'used') && (
        <button
          className="jp-mod-styled jp-mod-accept svc-lab-connect"
          ref={button}
          aria-disabled={connecting}
          onClick={() => void (connecting || connect())}
        >
          {connecting ? 'Connecting …' : 'Connect'}
        </button>
      )}
    </>
  );
}
