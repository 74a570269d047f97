import { Component } from 'react';
import { ErrorNotice } from './ErrorNotice.tsx';
import { PageError } from './page-error.ts';

type Props = Readonly<{ children: React.ReactNode }>;
type State = Readonly<{ error: unknown }>;

/**
 * Without it, a page that cannot be loaded or drawn would take the whole application off the screen. Most often its
 * script is gone: the service was updated while the tab was open.
 */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(cause: unknown): State {
    // A reload without a connection would leave nothing of the application on the screen.
    const recovery = navigator.onLine
      ? 'The service may have been updated since you opened it. Try again to reload it.'
      : 'There is no connection. Try again once it is back.';
    return { error: new PageError('This page could not be shown.', recovery, 'page_broken', { cause }) };
  }

  override render(): React.ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <ErrorNotice error={error} onRetry={() => window.location.reload()} />;
  }
}
