import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { newQueryClient } from '../live/query-client.ts';
import { Toasts } from '../ui/Toast.tsx';
import '../ui/base.css';
import { App } from './App.tsx';
import { wallet } from './device/wallet.ts';
import { installShell } from './shell.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');

const queryClient = newQueryClient();
void wallet.start();
installShell();

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
