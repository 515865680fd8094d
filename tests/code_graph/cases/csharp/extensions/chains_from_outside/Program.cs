using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using App;
namespace Web
{
    public class Startup
    {
        public void Configure(IServiceCollection services, IApplicationBuilder app)
        {
            services.AddMine();
            services.AddLogging().AddMine();
            services.AddControllers().Services.AddOther();
            app.UseRouting().UseMine();
            var builder = WebApplication.CreateBuilder();
            builder.Services.AddMine().AddOther();
        }
    }
}
