import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import '../ui/base.css';
import { newQueryClient } from '../live/query-client.ts';
import { Toasts } from '../ui/Toast.tsx';
import { App } from './App.tsx';
import { takeTokenOutOfAddress } from './merchant-access/link-token.ts';

// Before anything else runs: the token must not stay in the address bar or in the history.
takeTokenOutOfAddress();

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={newQueryClient()}>
      <App />
      <Toasts />
    </QueryClientProvider>,
  );
}
