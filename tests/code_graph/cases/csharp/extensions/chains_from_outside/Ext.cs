using Microsoft.Extensions.DependencyInjection;
namespace App
{
    public static class ServiceExtensions
    {
        public static IServiceCollection AddMine(this IServiceCollection services) { return services; }
        public static IServiceCollection AddOther(this IServiceCollection services) { return services; }
        public static IApplicationBuilder UseMine(this IApplicationBuilder app) => app;
    }
}
