import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/base.css';
import { Button } from '../ui/Button.tsx';

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <main>
        <h1>Set up this device</h1>
        <Button look="main">Make a new key</Button>
      </main>
    </StrictMode>,
  );
}
