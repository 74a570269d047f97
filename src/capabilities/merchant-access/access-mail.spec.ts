import { accessMail } from './access-mail';

describe('the mail with the link', () => {
  const mail = accessMail('a@example.com', 'https://pay.example.com', 'svc_el_abc');

  it('says what it is for, how long it works, and holds the link in text and HTML', () => {
    expect(mail).toMatchObject({
      to: 'a@example.com',
      subject: 'Your sign-in link for pay.example.com',
      link: 'https://pay.example.com/portal/#/verify?token=svc_el_abc',
    });
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain(mail.link);
      expect(body).toContain('15 minutes');
    }
  });

  it('shows a strange base address as text, not as markup', () => {
    const { html } = accessMail('a@example.com', 'https://pay.example.com/a"><b>&', 'svc_el_abc');
    expect(html).toContain('/a&quot;&gt;&lt;b&gt;&amp;/portal/');
    expect(html).not.toContain('<b>');
  });
});
