import 'reflect-metadata';
import { createCostAt, paymentRequestRates } from './payment-requests';
import { swcArguments } from './load';
const program = [...swcArguments, '/work/main/src/main.ts'];
void (async () => {
  console.log('rates', JSON.stringify(await paymentRequestRates(program)));
  for (const n of [10_000, 1_000_000]) { const t = Date.now(); console.log(n, JSON.stringify(await createCostAt(n, program)), (Date.now()-t)/1000, 's'); }
  process.exit(0);
})();
