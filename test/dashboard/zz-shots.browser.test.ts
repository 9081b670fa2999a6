import { describeInBrowser, openPage } from '../pages/browser';
import { gatewayConfig } from '../support/api';
import { createTestDatabase } from '../support/database';
import { contradictedPayout, payoutInDoubt } from '../support/payouts';
import { startTestGateway } from '../support/sandbox-gateway';
import { startTestService } from '../support/service';
import { buildUser } from '../support/users';
import { signInOperator } from './operators';

describeInBrowser('shots', () => {
  it('takes them', async () => {
    const database = await createTestDatabase();
    const gateway = await startTestGateway({ notification_url: 'http://127.0.0.1:9' });
    const service = await startTestService({ database, overrides: { gateway: gatewayConfig(gateway) } });
    const operator = await signInOperator(service, database);
    const paying = await buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
    const id = await payoutInDoubt(database, paying, { since: '2 days', name: 'Awa Diop' });
    await database.owner.raw(`update payouts set provider_payment_id = 'po_7Hd82kdQ1' where id = ?`, [id]);
    const lost = await contradictedPayout(database, paying);
    for (const [width, language] of [[1280, 'en'], [390, 'fr']] as const) {
      const { page } = await openPage();
      await page.context().addCookies(
        [...operator.visitor.cookies].map(([name, value]) => ({ name, value, url: service.origin })),
      );
      await page.context().addCookies([{ name: 'language', value: language, url: service.origin }]);
      await page.setViewportSize({ width, height: 900 });
      for (const [name, path] of [['list', ''], ['one', `/${id}`], ['lost', `/${lost}`]] as const) {
        await page.goto(`${service.origin}/dashboard/operators/payouts${path}?lang=${language}`);
        await page.screenshot({ path: `/tmp/shot-${name}-${language}.png`, fullPage: true });
      }
    }
  });
});
